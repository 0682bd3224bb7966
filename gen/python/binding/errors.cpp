// SPDX-License-Identifier: Apache-2.0
// Turns C++ exceptions into exceptions of the package; their classes are in kumiki/errors.py.
#include <nanobind/nanobind.h>

#include <filesystem>
#include <new>

#include "gen/config/finding.h"
#include "gen/flow/explain/all_messages.h"
#include "gen/flow/messages.h"
#include "gen/flow/usage.h"
#include "ir/error.h"
#include "ir/interrupt.h"
#include "ir/limits.h"
#include "module.h"

namespace kumiki::python {
namespace {

nb::object class_of(const char* name) { return nb::module_::import_("kumiki.errors").attr(name); }

void raise(const char* name, const std::string& text, Code code) {
  const nb::object type = class_of(name);
  const std::string_view known = code.word();
  const nb::object error = type(nb::str(text.c_str()), nb::str(known.data(), known.size()));
  PyErr_SetObject(type.ptr(), error.ptr());
}

void raise(const gen::config::ConfigError& e) {
  const nb::object finding = class_of("Finding");
  nb::list all;
  for (const auto& f : e.findings()) {
    const std::string_view code = f.code.word();
    all.append(finding(f.pointer, f.line, f.column, f.value, f.message, f.required,
                       nb::str(code.data(), code.size())));
  }
  const nb::object type = class_of("ConfigurationError");
  const nb::object error = type(nb::str(e.what()), nb::str(e.file().c_str()), nb::tuple(all));
  PyErr_SetObject(type.ptr(), error.ptr());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const gen::config::ConfigError& e) {
    raise(e);
  } catch (const Interrupted&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const flow::UsageError& e) {
    raise("UsageError", said(e), e.code());
  } catch (const ir::LimitError& e) {
    raise("LimitError", said(e), e.code());
  } catch (const DesignError& e) {
    raise("DesignError", said(e), e.code());
  } catch (const FileError& e) {
    raise("FileError", said(e), e.code());
  } catch (const ToolError& e) {
    raise("ToolError", said(e), e.code());
  } catch (const Error& e) {
    raise("Error", said(e), e.code());
  } catch (const std::filesystem::filesystem_error& e) {
    raise("FileError", with_code(e.what(), code::file_system), code::file_system);
  } catch (const std::bad_alloc&) {
    PyErr_SetString(PyExc_MemoryError, "there is not enough memory for this request");
  }
}

}  // namespace

void add_errors(nb::module_& m) {
  nb::register_exception_translator(translate);
  m.def("explain", [](const std::string& name) -> nb::object {
    const Message* one = flow::find_message(name);
    if (one == nullptr) return nb::none();
    const auto text = [](std::string_view s) { return nb::str(s.data(), s.size()); };
    return nb::make_tuple(text(one->meaning), text(one->example), text(one->remedy));
  });
}

}  // namespace kumiki::python
