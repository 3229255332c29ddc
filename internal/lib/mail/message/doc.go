// Package message reads mails as people see them: decoded fields, text, and the files that
// came with it.
//
// A mail is untrusted. Depth, number of parts, texts and files are bounded, and what goes
// beyond is left out and reported in [Message.Cut]; broken parts are read as far as they go.
// Names of files are made harmless ([SafeName]), HTML is never run or fetched.
//
// Nothing proves that a mail comes from the address in its field From.
package message
