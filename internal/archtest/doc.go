// Package archtest holds the shape of the repository: which package may import
// which, how long a file may grow, where documentation stands and what a tool
// must say about itself. It has no code of its own, only tests.
//
// The tests read the sources themselves, build-tagged files included, so that
// nothing hides behind a platform or a tag, and so that the test cache notices
// when a source changes. Every failure names the file, the rule and the reason.
//
// It promises nothing about behaviour: a tree that passes is well laid out, not
// correct.
package archtest
