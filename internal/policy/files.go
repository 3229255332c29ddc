package policy

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// maxFile bounds one rule file, in bytes: some 40,000 rules.
const maxFile = 8 << 20

// source is one rule file as it was read.
type source struct {
	path string
	text []byte
}

// files lists the rule files of paths: a file is itself, a directory its
// *.cedar files by name.
func files(paths []string) ([]string, error) {
	var all []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			all = append(all, path)
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if !e.IsDir() && filepath.Ext(e.Name()) == ".cedar" {
				all = append(all, filepath.Join(path, e.Name()))
			}
		}
	}
	return all, nil
}

// read reads every rule file of paths.
func read(paths []string) ([]source, error) {
	list, err := files(paths)
	if err != nil {
		return nil, fmt.Errorf("the policy rules cannot be read: %w", err)
	}
	all := make([]source, len(list))
	for i, path := range list {
		text, err := readFile(path)
		if err != nil {
			return nil, fmt.Errorf("the policy rules cannot be read: %w", err)
		}
		all[i] = source{path, text}
	}
	return all, nil
}

func readFile(path string) ([]byte, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes; split it", path, maxFile)
	}
	return text, err
}

// digest names the content of all files and their order.
func digest(all []source) string {
	h := sha256.New()
	for _, src := range all {
		for _, part := range [][]byte{[]byte(src.path), src.text} {
			_ = binary.Write(h, binary.BigEndian, uint64(len(part)))
			h.Write(part)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
