// Package nearest measures the distance of two words in spelling, to suggest the
// intended word.
//
// Distance counts inserted, deleted, replaced and swapped bytes and stops at a limit.
// It does not allocate for words of up to 64 bytes. The caller decides which distance
// is near enough.
package nearest
