// Package top shows a running system in a terminal: pools, workers, tools, calls and
// consents that wait.
//
// It promises that a lost connection leaves the last picture and its age on the screen, and
// that text of calls cannot control the terminal. It does not promise to show every call
// of a busy system: [Snapshot] is bounded.
package top
