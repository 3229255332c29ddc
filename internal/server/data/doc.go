// Package data has workers answer operations on what they hold: personal data and scheduled
// tasks, files of workspaces, and the rules in force. A dispatcher has no database and no
// workspaces.
//
// It promises that an operation is on the trail before it takes effect, that one deletion of a
// person's data runs at a time, and that an operation ends in an error if no worker answers.
// It decides nothing about calls, and stores nothing itself.
package data
