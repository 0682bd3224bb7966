// SPDX-License-Identifier: Apache-2.0
#include "tests/support/messages.h"

#include "gen/device/device.h"
#include "gen/device/messages.h"

namespace kumiki::gen::device {
namespace device_messages_test {

TEST(DeviceMessages, OfNames) {
  test::expect_messages("messages/devices.txt",
                        {{code::unknown_device, [] { device("ku15"); }},
                         {code::device_of_rivals, [] { device("arria10-sx480"); }}});
}

}  // namespace device_messages_test
}  // namespace kumiki::gen::device
