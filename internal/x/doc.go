// Package x has leaves: packages of a few lines for programs, tests and several rooms.
//
// A leaf promises little and imports no package of Helve. What has a subject of its own belongs
// in the room of that subject.
package x
