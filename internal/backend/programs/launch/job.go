package launch

import "github.com/helve-dev/helve/tool"

// Argument is the only argument of a process that is a launcher.
const Argument = "helve-program-launcher"

// Job is what a launcher does: the first line of JSON on its socket.
type Job struct {
	// File is the program on this host, Args its arguments from the name on.
	File string
	Args []string
	Env  []string
	// Trial has the launcher do all of it but start the program.
	Trial bool

	// Workspace is a directory of this host, Dir one below it to run in, and Grants
	// are what of it the program may use: "." is all. ReadOnly keeps it as it is.
	Workspace string
	Dir       string
	Grants    []string
	ReadOnly  bool
	// System are what of the host the program may read and run.
	System []string
	// Private is a directory of this host which the run may fill: home, tmp and shm
	// in it are the program's, root is for mounting.
	Private string

	// Memory bounds the data of each process, in bytes; File and Open the size of a
	// file and the number of open ones.
	Memory    uint64
	FileSize  uint64
	OpenFiles uint64
	// Processes bounds the processes and threads, where the launcher has a user
	// namespace of its own to count them in; 0 does not.
	Processes uint64

	// Terminal says that the standard descriptors are a terminal to be controlled by.
	Terminal bool
	// Network leaves the network as it is.
	Network bool

	// What the launcher was started with: a mount namespace to build a root in, and
	// namespaces of processes, of the network and of System V objects.
	Mounts, Pids, Net, IPC bool
}

// Report is what a launcher says: a line of JSON once the program runs, and one when
// it has ended, or a line with a failure.
type Report struct {
	Started bool   `json:",omitzero"`
	Ended   bool   `json:",omitzero"`
	Status  uint32 `json:",omitzero"` // as wait gives it

	Kind   tool.Kind `json:",omitzero"` // of a failure
	Msg    string    `json:",omitzero"`
	Detail string    `json:",omitzero"` // for the operator
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

func failed(kind tool.Kind, msg string, cause error) *Report {
	r := &Report{Kind: kind, Msg: msg}
	if cause != nil {
		r.Detail = cause.Error()
	}
	return r
}
