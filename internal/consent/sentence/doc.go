// Package sentence says in one line what a call will do, for the person who decides about it.
//
// It promises that the line follows from the consent alone, which is bound to what runs, so that
// owner, approver, terminal and front end show the same words; that each value in it is written as
// the preview of the arguments shows it, with secrets hidden and invisible characters as codes; and
// that a tool whose name is not Helve's own gets no words but its name.
//
// It does not judge: risk, reason and warnings are fields of their own.
package sentence
