// Package jsonwalk splits valid JSON values without decoding them: members, items,
// kinds, texts.
//
// It reads each byte of a level once and checks nothing, so the caller must have
// checked the value. Returned values share memory with their source. For bytes that are
// not JSON the result is undefined, but every function returns. To read unchecked JSON,
// use package jsontext.
package jsonwalk
