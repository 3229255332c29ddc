package confine

// Program describes what the profile of programs allows.
type Program struct {
	// Memory limits the data of each process, in bytes; FileSize and OpenFiles limit
	// the size of a file and the number of open files.
	Memory    uint64 `json:"memory"`
	FileSize  uint64 `json:"file_size"`
	OpenFiles uint64 `json:"open_files"`
	// Processes limits the processes and threads, if the launcher has a user namespace
	// of its own in which they are counted; 0 means no limit.
	Processes uint64 `json:"processes"`
	// Network leaves the network unrestricted.
	Network bool `json:"network"`

	// The namespaces with which the launcher was started: a mount namespace in which it
	// can build a root, and namespaces of processes, of the network and of System V
	// objects.
	Mounts bool `json:"mounts"`
	Pids   bool `json:"pids"`
	Net    bool `json:"net"`
	IPC    bool `json:"ipc"`
}
