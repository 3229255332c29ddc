// Package reason shortens the message of a failed call for logs and records, which hold no
// arguments.
//
// It promises a single line of at most [Most] characters without any six characters in a row
// that a value of the arguments has too, and without a shorter value that is a word of the
// message. It does not promise to recognize a value that the message has in another form, such
// as encoded.
package reason
