// Package archtest checks the structure of the repository: which package may import
// which, the size of files, the presence of documentation, the wording of comments and
// texts, and the declarations of tools. It contains only tests.
//
// The tests read the sources themselves, including build-tagged files, so that no
// platform or tag hides a file, and so that the test cache notices changed sources.
// Every failure names the file, the rule and the reason.
//
// It promises nothing about behaviour: a tree that passes is well structured, not
// correct.
package archtest
