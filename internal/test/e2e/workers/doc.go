// Package workers tests workers that differ, on whole systems.
//
// It promises that calls reach a worker that can run them: one with the tool, the user's files, the desktop of
// the person, or the providers and middleware of a program.
package workers
