// Package scripts tests tools that operators and models write in JavaScript, on whole systems.
//
// It promises that such a tool has the rights of its own version and caller only, that its nested calls pass
// the gate, and that bad files and schemas affect nothing else.
package scripts
