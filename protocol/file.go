package protocol

import "time"

// FileList is a page of the files of a workspace.
type FileList struct {
	Files []File `json:"files" doc:"The files below the directory, by path."`
	Next  string `json:"next,omitempty" doc:"The cursor of the next page, if there are more files."`
}

// File is a file of a workspace.
type File struct {
	Path     string    `json:"path" doc:"The path in the workspace."`
	Size     int64     `json:"size" doc:"The size in bytes."`
	Modified time.Time `json:"modified" doc:"When it was last written."`
}
