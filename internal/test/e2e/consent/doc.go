// Package consent tests what a person decides, on whole systems.
//
// It promises that a call that needs consent runs only after its person granted it or with a token that
// covers it, and that no other caller, spelling or repetition gets around that.
package consent
