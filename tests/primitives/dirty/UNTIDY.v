// SPDX-License-Identifier: Apache-2.0
// Not a model: lint.sh has to find the unused input in it.
module UNTIDY (
    output O,
    input I0,
    input I1
);
  assign O = I0;
endmodule
