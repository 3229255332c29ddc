package identity

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"go.yaml.in/yaml/v3"
)

// maxKeyFile bounds the key file: about 20,000 keys.
const maxKeyFile = 8 << 20

// keyring holds the keys of one version of the file, by ID.
type keyring map[string]apiKey

// readKeyFile returns the bytes of the file.
func readKeyFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxKeyFile {
		return nil, fmt.Errorf("it is larger than %d bytes", maxKeyFile)
	}
	return text, nil
}

// parseKeys parses the text of a key file. Its error names the entry and the reason,
// and contains nothing that might be a secret.
func parseKeys(text []byte) (keyring, error) {
	if at := keyForm.FindIndex(text); at != nil {
		line := 1 + bytes.Count(text[:at[0]], []byte("\n"))
		return nil,
			fmt.Errorf("line %d holds a whole API key; the file is for hashes only: remove the key, make another, and treat this one as known", line)
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var nodes []yaml.Node
	if err := dec.Decode(&nodes); errors.Is(err, io.EOF) {
		return nil, errors.New("it is empty, as a file is that is being written; write [] for no keys")
	} else if err != nil {
		return nil, errors.New("it is not a YAML list of entries; `helve auth key` prints one")
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("it holds more than one YAML document; want one list of entries")
	}
	ring := make(keyring, len(nodes))
	for i, node := range nodes {
		id, key, err := readEntry(&node)
		if _, twice := ring[id]; err == nil && twice {
			err = errors.New("the id stands twice; remove one of the entries")
		}
		if err != nil {
			return nil, fmt.Errorf("entry %d at line %d (id %.20q): %w", i+1, node.Line, id, err)
		}
		ring[id] = key
	}
	return ring, nil
}

// fields are the allowed fields of an entry.
var fields = []string{"id", "hash", "tenant", "user", "agent", "roles", "name", "expires", "disabled"}

// readEntry returns the ID as far as it is known, even with an error. YAML's error for
// a wrong value contains the value, so it is not passed on.
func readEntry(node *yaml.Node) (id string, key apiKey, err error) {
	if node.Kind != yaml.MappingNode {
		return "", key, errors.New("it is not a mapping of fields such as id, hash, tenant and roles")
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if name := node.Content[i].Value; !slices.Contains(fields, name) {
			return "", key, fmt.Errorf("there is no field %.20q; want some of %v", name, fields)
		}
	}
	var e Entry
	if err := node.Decode(&e); err != nil {
		return "", key, errors.New("a field stands twice or is of the wrong kind; roles is a list, disabled true or false, the others are text")
	}
	key, err = e.read()
	return e.ID, key, err
}
