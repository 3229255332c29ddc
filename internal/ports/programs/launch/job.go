package launch

import (
	"github.com/helve-dev/helve/internal/ports/confine"
	"github.com/helve-dev/helve/tool"
)

// Argument is the only argument of a launcher process.
const Argument = "helve-program-launcher"

// Job is the task of a launcher: the first line of JSON on its socket.
type Job struct {
	// File is the program on this host, Args its arguments including its name. JSON
	// would not keep bytes that are not UTF-8, which file names may contain.
	File string   `json:"file"`
	Args [][]byte `json:"args"`
	Env  [][]byte `json:"env"`
	// Trial makes the launcher do everything except start the program.
	Trial bool `json:"trial"`
	// Free leaves the program unconfined: it is the operator's own, runs in Dir, and
	// the launcher only ends it and all processes that it started.
	Free bool `json:"free"`

	// Workspace is a directory of this host, Dir a directory below it to run in, and
	// Grants lists the parts that the program may use: "." is the whole workspace.
	// ReadOnly prevents writing.
	Workspace string   `json:"workspace"`
	Dir       string   `json:"dir"`
	Grants    []string `json:"grants"`
	ReadOnly  bool     `json:"read_only"`
	// System lists the parts of the host that the program may read and run.
	System []string `json:"system"`
	// Private is a directory of this host for the run: home, tmp and shm in it are the
	// program's, root is for mounting.
	Private string `json:"private"`

	// Program is the confinement of the program.
	confine.Program

	// Terminal is set if the standard descriptors are the program's controlling
	// terminal.
	Terminal bool `json:"terminal"`
}

// Report is a message of a launcher: a line of JSON when the program runs, and one when
// it has ended, or a line with a failure.
type Report struct {
	Started bool   `json:"started,omitzero"`
	Ended   bool   `json:"ended,omitzero"`
	Status  uint32 `json:"status,omitzero"` // as returned by wait

	Kind   tool.Kind `json:"kind,omitzero"` // of a failure
	Msg    string    `json:"msg,omitzero"`
	Detail string    `json:"detail,omitzero"` // for the operator
}

// Terminate is the message after the job that requests SIGTERM for the program's group.
const Terminate = 't'

// inside is the directory of the program's own files, if the launcher builds a root.
const inside = "/run/helve"

// Home is the program's home directory, as it sees it.
func (j *Job) Home() string { return j.own("home") }

// Temp is the directory for temporary files.
func (j *Job) Temp() string { return j.own("tmp") }

func (j *Job) own(name string) string {
	if j.Mounts {
		return inside + "/" + name
	}
	return j.Private + "/" + name
}

// Bytes is text in a job that may be invalid UTF-8.
func Bytes(texts []string) [][]byte {
	all := make([][]byte, len(texts))
	for i, text := range texts {
		all[i] = []byte(text)
	}
	return all
}

func texts(all [][]byte) []string {
	out := make([]string, len(all))
	for i, b := range all {
		out[i] = string(b)
	}
	return out
}

// unconfinable is the message if the kernel refuses a restriction.
const unconfinable = "Programs cannot be confined on this worker; its operator runs 'helve doctor', which names what is missing, " +
	"or sets programs.unconfined: true"

func failureReport(kind tool.Kind, msg string, cause error) *Report {
	r := &Report{Kind: kind, Msg: msg}
	if cause != nil {
		r.Detail = cause.Error()
	}
	return r
}
