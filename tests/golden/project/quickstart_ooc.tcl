# SPDX-License-Identifier: Apache-2.0
# quickstart out of context in Vivado, in memory: synthesis to routing, with reports of what came out.
#   vivado -mode batch -source quickstart_ooc.tcl -tclargs period 2.5 stop place
# Settings are pairs of name and value:
#   part     device to build for             (xczu7ev-ffvc1156-2-e)
#   period   of the clock, in ns             (2.000)
#   results  folder for reports, checkpoints (vivado)
#   stop     last step: synth, opt, place or route (route)
#   keep     1: the optimiser leaves every cell as it was written (0)
set top quickstart
array set setting {part xczu7ev-ffvc1156-2-e period 2.000 results vivado stop route keep 0}
foreach {name value} $argv {
  if {![info exists setting($name)]} {
    error "$name is no setting: [lsort [array names setting]] are"
  }
  set setting($name) $value
}
set steps {synth opt place route}
if {$setting(stop) ni $steps} {
  error "stop $setting(stop): [join $steps {, }] are the steps"
}
if {![string is double -strict $setting(period)] || $setting(period) <= 0} {
  error "the period is $setting(period); it must be a number of ns above 0"
}

# Files stand beside this script, whatever folder it is called from.
set here [file dirname [file normalize [info script]]]
proc listed {list} {
  set channel [open $list]
  set lines [split [string trim [read $channel]] "\n"]
  close $channel
  return $lines
}

proc report {step} {
  global setting top
  set stem [file join $setting(results) ${top}_$step]
  write_checkpoint -force $stem.dcp
  report_utilization -hierarchical -file ${stem}_utilization.rpt
  report_timing_summary -max_paths 10 -file ${stem}_timing.rpt
}

file mkdir $setting(results)
create_project -in_memory -part $setting(part)
foreach file [listed [file join $here $top.f]] {
  read_verilog [file join $here $file]
}
read_xdc -mode out_of_context [file join $here ${top}_ooc.xdc]

foreach step $steps {
  switch $step {
    synth {
      synth_design -mode out_of_context -top $top -part $setting(part) -flatten_hierarchy none
      create_clock -name clk -period $setting(period) [get_ports clk]
      if {$setting(keep)} {
        set_property DONT_TOUCH true [get_cells -hierarchical -filter {IS_PRIMITIVE}]
      }
    }
    opt {opt_design}
    place {place_design}
    route {route_design}
  }
  report $step
  if {$step eq $setting(stop)} {
    break
  }
}
set paths [get_timing_paths -max_paths 1]
if {[llength $paths] > 0} {
  puts "$top: worst slack [get_property SLACK [lindex $paths 0]] ns at $setting(period) ns"
}
