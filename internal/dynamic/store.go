package dynamic

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/helve-dev/helve/tool"
)

// Bucket is where tools are stored, by tenant and name with a dot between. The
// error of Create and Replace that means "somebody else was first" is Exists's.
type Bucket interface {
	Get(ctx context.Context, key string) ([]byte, error)
	Create(ctx context.Context, key string, value []byte) error
	Replace(ctx context.Context, key string, old, value []byte) error
	Delete(ctx context.Context, key string) error
	// LoadBelow tells every key that begins with prefix and a dot.
	LoadBelow(ctx context.Context, prefix string, have func(key string, value []byte)) error
	// Follow tells what there is and then each change, until ctx ends; a nil
	// value means deleted. It returns when what is there now was told.
	Follow(ctx context.Context, change func(key string, value []byte)) error
}

// stored is a tool in the bucket. The definition is for who lists tools and needs
// no code.
type stored struct {
	Definition tool.Definition `json:"definition"`
	Tool       tool.CustomTool `json:"tool"`
}

func encode(t *tool.CustomTool) ([]byte, error) {
	return json.Marshal(stored{Definition(t), *t})
}

func decode(name string, value []byte) (*tool.CustomTool, error) {
	var s stored
	if err := json.Unmarshal(value, &s); err != nil {
		return nil, err
	}
	if s.Tool.Name != name {
		return nil, fmt.Errorf("the tool is called %q", s.Tool.Name)
	}
	return &s.Tool, nil
}

func key(tenant, name string) string { return tenant + "." + name }
