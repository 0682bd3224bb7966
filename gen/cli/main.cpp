// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
int main() { std::printf("kumiki %s\n", KUMIKI_VERSION); }
