// Package personal tests what Helve keeps for a person, their documents and scheduled tasks,
// on whole systems.
//
// It promises that such data is exported, imported and deleted as a whole, and that a task
// that is due makes its call once.
package personal
