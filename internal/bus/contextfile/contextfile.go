// Package contextfile reads the contexts of the nats command line tool.
//
// The client library connects with a context but does not return the files that it names until
// it is connected. Helve needs them earlier: to read renewed ones again, and to report when they
// expire. The package promises the same context and the same paths that the library uses. It
// does not run nsc for a context that names one.
package contextfile

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/synadia-io/orbit.go/natscontext"
)

// Read returns the settings of a context, by its name or the absolute path of its file. The
// paths of its files have no ~ and, for credentials, no variables.
func Read(name string) (natscontext.Settings, error) {
	var s natscontext.Settings
	path, err := locate(name)
	if err != nil {
		return s, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("nats context %s: %w", path, err)
	}
	s.Creds = os.ExpandEnv(s.Creds)
	for _, file := range []*string{&s.Creds, &s.NKey, &s.Cert, &s.Key, &s.CA} {
		if *file, err = atHome(*file); err != nil {
			return s, err
		}
	}
	return s, nil
}

func locate(name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	parent := os.Getenv("XDG_CONFIG_HOME")
	if parent == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		parent = filepath.Join(home, ".config")
	}
	return filepath.Join(parent, "nats", "context", name+".json"), nil
}

func atHome(path string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok {
		return path, nil
	}
	home, err := os.UserHomeDir()
	return home + rest, err
}
