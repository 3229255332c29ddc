package config

import (
	"strings"
	"time"
)

var (
	toolName    = pattern(`^[a-z][a-z0-9_]*$`)
	dockerImage = pattern(`^[a-z][a-z0-9_-]*=[^ =]+$`)
	variable    = pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// SplitToolEnv splits an entry of ToolEnv. Ok is false if the entry is malformed.
func SplitToolEnv(entry string) (tool, name, value string, ok bool) {
	key, value, found := strings.Cut(entry, "=")
	tool, name, parted := strings.Cut(key, ".")
	return tool, name, value, found && parted && toolName().MatchString(tool) && variable().MatchString(name)
}

// checkScripts checks the settings and limits of scripts.
func (c Config) checkScripts(v *verdict) {
	for _, entry := range c.ToolEnv {
		if _, _, _, ok := SplitToolEnv(entry); !ok {
			name, _, _ := strings.Cut(entry, "=")
			v.addf("tool_env", "has %s; want TOOL.NAME=VALUE", show(name+"=…"))
		}
	}
	if c.Secrets.KeyFile != "" && c.Secrets.KeyEnv != "" {
		v.addf("secrets.key_env", "is set beside secrets.key_file; want one of them")
	}
	if name := c.Secrets.KeyEnv; name != "" {
		v.matches("secrets.key_env", name, variable, "the name of an environment variable")
	}
	s := c.Sandbox
	v.count("sandbox.children", s.Children, 0, 1024)
	v.between("sandbox.wall", s.Wall, 10*time.Millisecond, 30*time.Second)
	v.between("sandbox.cpu", s.CPU, 10*time.Millisecond, 30*time.Second)
	v.size("sandbox.memory", s.Memory, 8<<20, 1<<30)
	v.size("sandbox.output", s.Output, 1<<10, 4<<20)
	v.size("sandbox.handover", s.Handover, 20<<20, 1<<40)
	for _, entry := range c.Docker.Images {
		v.matches("docker.images", entry, dockerImage, "LANGUAGE=IMAGE")
	}
	v.count("docker.parallel", c.Docker.Parallel, 0, 1024)
	for _, entry := range c.Desktop.Apps {
		v.filled("desktop.apps", entry)
	}
	for _, dir := range c.Programs.Readable {
		v.filled("programs.readable", dir)
	}
}
