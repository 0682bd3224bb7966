// SPDX-License-Identifier: Apache-2.0
// The colours of pictures: one for each meaning, in a light and in a dark version. Text in the
// sheet's ink is readable on all of them.
#pragma once

namespace kumiki::picture {

struct Paint {
  const char* name;  // of its style class
  const char* light;
  const char* dark;
  const char* meaning;  // in the legend; empty: not listed
};

namespace paint {
inline constexpr Paint empty{"empty", "#ffffff", "#14171b", ""};
inline constexpr Paint product{"product", "#9ecae1", "#1f5478", "product"};
inline constexpr Paint guard{"guard", "#e4e4e4", "#3a4048", "guard bits"};
inline constexpr Paint canary{"canary", "#fdd835", "#756000", "canary"};
inline constexpr Paint carries{"carries", "#f3c98b", "#7a4d12", "carries"};
inline constexpr Paint operand{"operand", "#a1d99b", "#2c6327", "operand"};
inline constexpr Paint sign{"sign", "#dff0c8", "#3f5323", "its sign again"};
inline constexpr Paint constant{"constant", "#e3d3c3", "#574534", "constant"};
inline constexpr Paint slice{"slice", "#f6f8fa", "#22272e", "slice"};
inline constexpr Paint slice_rnd{"slice-rnd", "#c6dbf5", "#2b456b", "slice with RND"};
inline constexpr Paint slice_c{"slice-c", "#f7c6bd", "#6e362c", "slice with C"};
inline constexpr Paint adder{"adder", "#d5c9ec", "#4c3f70", "slice that adds"};
inline constexpr Paint memory{"memory", "#e2f0d9", "#33492a", "memory"};
inline constexpr Paint logic{"logic", "#f1ead8", "#4a4330", "LUTs and registers"};
inline constexpr Paint element{"element", "#cfe8ef", "#1e4d59", "element"};
inline constexpr Paint padding{"padding", "#eeeeee", "#2c3138", "padding"};
inline constexpr Paint computes{"computes", "#74b3e0", "#1c5f96", "computes"};
inline constexpr Paint leaves{"leaves", "#b9a3e3", "#5b4394", "results leave"};
inline constexpr Paint waits{"waits", "#f2a199", "#8c3a32", "waits for weights"};
inline constexpr Paint weights{"weights", "#d9a6c8", "#743b60", "weights come"};
inline constexpr Paint loads{"loads", "#8fd0b0", "#22684a", "loads"};
inline constexpr Paint stores{"stores", "#c3d46b", "#56641a", "stores"};
inline constexpr Paint begins{"begins", "#f6c667", "#7d5a10", "operations begin"};
inline constexpr Paint map{"map", "#bfe0ea", "#225a6b", "map"};
inline constexpr Paint strip{"strip", "#ecd9b0", "#5e4c22", "lines of a map outside"};
inline constexpr Paint figure{"figure", "#6fa8d6", "#2f6ea3", ""};
inline constexpr Paint part_a{"part-a", "#bcd7f0", "#23486b", ""};
inline constexpr Paint part_b{"part-b", "#f9d5ac", "#6b4a1c", ""};
inline constexpr Paint part_c{"part-c", "#c7e9c0", "#35592f", ""};
inline constexpr Paint part_d{"part-d", "#dadaeb", "#453f66", ""};
}  // namespace paint

}  // namespace kumiki::picture
