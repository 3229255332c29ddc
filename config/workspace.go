package config

// WorkspaceSection bounds the files of each user. A bound of 0 is not enforced.
type WorkspaceSection struct {
	// MaxBytes and MaxFiles bound the size of a workspace.
	MaxBytes Bytes `yaml:"max_bytes"`
	MaxFiles int   `yaml:"max_files"`
	// Versions is the number of earlier versions of a file that are kept; 0 keeps none.
	Versions int `yaml:"versions"`
	// VersionBytes bounds the earlier versions of all files of a workspace.
	VersionBytes Bytes `yaml:"version_bytes"`
}

func (c Config) checkWorkspace(v *verdict) {
	w := c.Workspace
	v.size("workspace.max_bytes", w.MaxBytes, 0, maxBytes)
	v.count("workspace.max_files", w.MaxFiles, 0, 1_000_000_000)
	v.count("workspace.versions", w.Versions, 0, 1000)
	v.size("workspace.version_bytes", w.VersionBytes, 0, maxBytes)
}
