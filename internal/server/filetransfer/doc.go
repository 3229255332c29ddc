// Package filetransfer serves requests for single files of a workspace as HTTP means
// them: with entity tags, conditions, ranges and a listing by pages.
//
// A worker calls it for the requests that dispatchers send (internal/bus/queue, Data). It has
// no transport: the status and the headers of an answer are the first line of its output,
// [queue.FileHead] in JSON, and the contents follow.
//
// A conditional write of a file that exists is checked before the contents are read and
// directly before they replace the file. Writes of one process exclude each other there;
// a tool, or another worker on a shared volume, may replace the file within the time that
// the disk needs to flush the new contents. A write with If-None-Match: * is exact
// everywhere.
package filetransfer
