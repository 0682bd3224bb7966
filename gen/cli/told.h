// SPDX-License-Identifier: Apache-2.0
// Turns an exception into a message for the user. In its own header, so that tests reach errors
// that no command line can provoke.
#pragma once
#include <csignal>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "gen/cli/command.h"
#include "gen/config/finding.h"
#include "gen/flow/messages.h"
#include "gen/flow/sweep/refused.h"
#include "gen/onnx/import.h"
#include "ir/interrupt.h"
#include "ir/limits.h"

namespace kumiki::cli {

struct Told {
  int exit;
  std::string text = {};  // for stderr; empty: print nothing
};

inline std::string said(const std::string& text, Code code) {
  return "kumiki: " + with_code(text, code);
}

inline Told told(Exit exit, const Error& e) { return {exit, "kumiki: " + kumiki::said(e)}; }

// The message for the exception being handled.
inline Told told() {
  try {
    throw;
  } catch (const gen::config::ConfigError& e) {
    return {configuration, e.what()};
  } catch (const Interrupted& e) {
    return {128 + e.signal, "kumiki: interrupted"};
  } catch (const UsageError& e) {
    return told(usage, e);
  } catch (const ir::LimitError& e) {
    return told(configuration, e);
  } catch (const gen::onnx::Refused& e) {
    return told(configuration, e);
  } catch (const flow::sweep::Refused& e) {
    return told(configuration, e);
  } catch (const DesignError& e) {
    return told(design_failed, e);
  } catch (const Error& e) {
    return told(files, e);
  } catch (const std::filesystem::filesystem_error& e) {
    return {files, said(e.what(), code::file_system)};
  } catch (const std::system_error& e) {
    // The error is of the standard output. A reader that closed the pipe (`| head`) gets no
    // message.
    if (e.code() == std::errc::broken_pipe) return {128 + SIGPIPE};
    return {files, said(e.what(), code::file_system)};
  } catch (const std::bad_alloc&) {
    return {files, said("there is not enough memory for this request", code::no_memory)};
  } catch (const std::length_error&) {
    return {files, said("there is not enough memory for this request", code::no_memory)};
  } catch (const std::exception& e) {
    return {bug, said(std::string("a bug: ") + e.what(), code::bug)};
  }
}

}  // namespace kumiki::cli
