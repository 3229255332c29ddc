// Package library loads the JavaScript tools of the operator: pairs of NAME.js and
// NAME.json in the tools directories, and built-in ones.
//
// It promises that an invalid file or entry does not affect other tools, that each
// problem is reported by file, entry and reason and logged once, and that a name
// belongs to one tool: the first of the built-in tools and the directories in order. A
// changed file takes effect within two seconds. If a change is invalid, the affected
// tools keep their previous version; a removed file removes its tools. A running call
// continues with the script, the values and the shared libraries it started with.
// Nothing outside the directories is read, and links cannot lead out.
//
// The contents of a directory are not trusted: files may change while they are read, be
// pipes or be huge. The scripts themselves are trusted; see package js.
//
// It does not know pools, permissions or how a worker offers tools: the worker requests
// the list whenever it has changed.
package library
