// Package personaldata writes and reads the documents of one person as files: JSON Lines
// and CSV, which hold everything, and the formats of other programs, which hold one kind
// of documents.
//
// What [Write] has written as JSON Lines or CSV, [Read] returns with the same values. The
// package stores nothing and checks no identity.
package personaldata
