// Package observe tests what an operator sees, on whole systems.
//
// It promises that events, metrics, logs, traces and health describe a running system, and that they show no
// arguments and no results.
package observe
