// Package tools tests which tools a caller has, on whole systems.
//
// It promises that lists, agents, groups, discovery and the built-in tools agree with what a call may use.
package tools
