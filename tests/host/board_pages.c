/* SPDX-License-Identifier: Apache-2.0 */
/* Mapped registers and memory of a board that is a program. A linker that takes the first one of
 * several definitions takes these before the driver's, whose other code runs as it is. */
#include <string.h>

#include "kumiki_map.h"

uint32_t (*board_read)(uint32_t offset);
void (*board_write)(uint32_t offset, uint32_t value);
void* board_memory;
uint64_t board_bytes;

int kumiki_map(kumiki_mapping* mapping, const char* path, uint64_t offset, size_t bytes) {
  if (offset != 0 || (strcmp(path, "memory") == 0 && bytes > board_bytes)) return 22;
  mapping->data = mapping->pages = board_memory; /* of registers nobody looks at it */
  mapping->bytes = bytes;
  return 0;
}

extern uint32_t kumiki_engine_mapped_read(void* context, uint32_t offset);
extern void kumiki_engine_mapped_write(void* context, uint32_t offset, uint32_t value);

uint32_t kumiki_engine_mapped_read(void* context, uint32_t offset) {
  return (void)context, board_read(offset);
}
void kumiki_engine_mapped_write(void* context, uint32_t offset, uint32_t value) {
  (void)context, board_write(offset, value);
}
