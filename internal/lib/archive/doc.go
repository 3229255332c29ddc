// Package archive reads archives of strangers: zip, tar, and files compressed with gzip or
// bzip2.
//
// The format is that of the contents, whatever the name. Numbers of entries and bytes are
// bounded by what is there, not by what an archive says of itself. An archive inside an
// archive is a file. [Entry].Problem is set for every entry that must not be written to a
// workspace: names that lead out or deceive, links, devices and encrypted files.
package archive
