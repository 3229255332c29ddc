package launch

import "github.com/helve-dev/helve/tool"

// Argument is the only argument of a process that is a launcher.
const Argument = "helve-program-launcher"

// Job is what a launcher does: the first line of JSON on its socket.
type Job struct {
	// File is the program on this host, Args its arguments from the name on.
	// JSON would not keep bytes that are no UTF-8, and names of files may hold them.
	File string   `json:"file"`
	Args [][]byte `json:"args"`
	Env  [][]byte `json:"env"`
	// Trial has the launcher do all of it but start the program.
	Trial bool `json:"trial"`
	// Free takes nothing from the program: it is the operator's own, run in Dir, and
	// the launcher only ends it and all that it started.
	Free bool `json:"free"`

	// Workspace is a directory of this host, Dir one below it to run in, and Grants
	// are what of it the program may use: "." is all. ReadOnly keeps it as it is.
	Workspace string   `json:"workspace"`
	Dir       string   `json:"dir"`
	Grants    []string `json:"grants"`
	ReadOnly  bool     `json:"read_only"`
	// System are what of the host the program may read and run.
	System []string `json:"system"`
	// Private is a directory of this host which the run may fill: home, tmp and shm
	// in it are the program's, root is for mounting.
	Private string `json:"private"`

	// Memory bounds the data of each process, in bytes; File and Open the size of a
	// file and the number of open ones.
	Memory    uint64 `json:"memory"`
	FileSize  uint64 `json:"file_size"`
	OpenFiles uint64 `json:"open_files"`
	// Processes bounds the processes and threads, where the launcher has a user
	// namespace of its own to count them in; 0 does not.
	Processes uint64 `json:"processes"`

	// Terminal says that the standard descriptors are a terminal to be controlled by.
	Terminal bool `json:"terminal"`
	// Network leaves the network as it is.
	Network bool `json:"network"`

	// What the launcher was started with: a mount namespace to build a root in, and
	// namespaces of processes, of the network and of System V objects.
	Mounts bool `json:"mounts"`
	Pids   bool `json:"pids"`
	Net    bool `json:"net"`
	IPC    bool `json:"ipc"`
}

// Report is what a launcher says: a line of JSON once the program runs, and one when
// it has ended, or a line with a failure.
type Report struct {
	Started bool   `json:"started,omitzero"`
	Ended   bool   `json:"ended,omitzero"`
	Status  uint32 `json:"status,omitzero"` // as wait gives it

	Kind   tool.Kind `json:"kind,omitzero"` // of a failure
	Msg    string    `json:"msg,omitzero"`
	Detail string    `json:"detail,omitzero"` // for the operator
}

// Terminate is what a worker writes after the job to have SIGTERM sent to the
// program's group.
const Terminate = 't'

// inside is where a program finds what is its own, if the launcher builds a root.
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

// Bytes is how a job carries text.
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

func failed(kind tool.Kind, msg string, cause error) *Report {
	r := &Report{Kind: kind, Msg: msg}
	if cause != nil {
		r.Detail = cause.Error()
	}
	return r
}
