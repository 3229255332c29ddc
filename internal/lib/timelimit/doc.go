// Package timelimit reads the time limit of a program from the arguments of a tool.
//
// It accepts seconds, or milliseconds as other platforms write them; seconds take
// precedence. It never returns more than the tool allows, and fails on values that are
// not above zero.
package timelimit
