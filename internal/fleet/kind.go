package fleet

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// kindMark begins the second part of the key of a list of tools. No worker's ID begins
// with it.
const kindMark = "kind-"

// Kind is the list of tools of equal workers in a pool.
type Kind struct {
	// Hash identifies the list, and the lane of calls that only such workers can run.
	Hash    string
	encoded []byte
	tools   map[string]ToolVersion
}

// ToolVersion is a tool as one kind of worker has it.
type ToolVersion struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// Hash is over the whole definition, Schema over the parameters alone.
	Hash   string `json:"hash"`
	Schema string `json:"schema"`
}

// NewKind returns the list of those tools.
func NewKind(defs []tool.Definition) (*Kind, error) {
	list := make([]ToolVersion, len(defs))
	for i := range defs {
		whole, err := json.Marshal(defs[i])
		if err != nil {
			return nil, err
		}
		list[i] = ToolVersion{Name: defs[i].Name, Version: defs[i].Version, Hash: digest(whole), Schema: schemaDigest(defs[i].Parameters)}
	}
	slices.SortFunc(list, func(a, b ToolVersion) int { return strings.Compare(a.Name, b.Name) })
	encoded, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	return decodeKind(digest(encoded), encoded)
}

// schemaDigest ignores white space.
func schemaDigest(schema json.RawMessage) string {
	var compact bytes.Buffer
	if json.Compact(&compact, schema) != nil {
		return digest(schema)
	}
	return digest(compact.Bytes())
}

// digest is short: it distinguishes a handful of versions, and forging a collision is
// pointless, since its author already has the tool of that name.
func digest(data []byte) string {
	const shown = 8
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:shown])
}

var errKindHash = errors.New("the list of tools does not match its key")

// decodeKind parses a list that is stored under its hash.
func decodeKind(hash string, encoded []byte) (*Kind, error) {
	if digest(encoded) != hash {
		return nil, errKindHash
	}
	var list []ToolVersion
	if err := json.Unmarshal(encoded, &list); err != nil {
		return nil, err
	}
	k := &Kind{Hash: hash, encoded: encoded, tools: make(map[string]ToolVersion, len(list))}
	for _, t := range list {
		k.tools[t.Name] = t
	}
	return k, nil
}

// Has reports whether the workers have a tool. Workers whose list is not known yet
// have every tool.
func (k *Kind) Has(name string) bool {
	if k == nil {
		return true
	}
	_, ok := k.tools[name]
	return ok
}

// Len is the number of tools.
func (k *Kind) Len() int {
	if k == nil {
		return 0
	}
	return len(k.tools)
}

// Tools returns the tools, sorted by name.
func (k *Kind) Tools() []ToolVersion {
	if k == nil {
		return nil
	}
	list := make([]ToolVersion, 0, len(k.tools))
	for _, t := range k.tools {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b ToolVersion) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Tool returns a tool as the workers have it.
func (k *Kind) Tool(name string) (ToolVersion, bool) {
	if k == nil {
		return ToolVersion{}, false
	}
	t, ok := k.tools[name]
	return t, ok
}
