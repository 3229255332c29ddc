// Package library keeps the JavaScript tools of the operator: pairs of NAME.js
// and NAME.json in the tools directories, and those that are built in.
//
// It promises that one bad file or entry costs only itself, that each problem is
// known by file, entry and reason and is logged once, and that a name belongs to
// one tool: of built-in tools and directories the first one has it. A changed
// file counts within a second or two. A change that is broken leaves the tools
// it breaks as they were; a file that is gone takes its tools with it. A call
// that runs goes on with the script, the values and the shared libraries it
// began with. Nothing outside the directories is read, links included.
//
// What is in a directory may be anything: files may change while they are read,
// be pipes or be huge. The scripts themselves are trusted; see package js.
//
// It does not know pools, permissions or how a worker offers tools: it is asked
// for the list whenever the list has changed.
package library
