package workspace

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

const (
	// maxCount limits the time of one count. Files that it did not reach do not count
	// against the limits.
	maxCount = 5 * time.Second
	// maxLargest is the number of files, and of directories, that are remembered as the
	// largest.
	maxLargest = 8
)

// item is a file, or a directory with all its contents.
type item struct {
	path string
	dir  bool
	amount
}

// census is one count of a workspace. It walks directories by open handles, so that a
// link that replaces a directory leads nowhere.
type census struct {
	limits Limits
	ends   time.Time
	seen   int
	total  amount
	tops   map[string]*amount // by name in the workspace, with the amount below it
	files  []item             // the largest
}

// tree counts everything below a directory of the host. Unreadable files are not
// counted.
func (c *census) tree(dir string, name bool) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	defer root.Close()
	c.below(root, ".", name, 1)
}

// below counts the contents of dir. Names are remembered if name is set.
func (c *census) below(dir *os.Root, at string, name bool, depth int) {
	h, err := dir.Open(".")
	if err != nil {
		return
	}
	defer h.Close()
	for {
		names, err := h.Readdirnames(1024)
		for _, base := range names {
			if c.over() {
				return
			}
			c.entry(dir, at, base, name, depth)
		}
		if err != nil {
			return
		}
	}
}

// over reports whether a count takes too long, or is far above the limits.
func (c *census) over() bool {
	c.seen++
	return c.limits.MaxFiles > 0 && c.total.files > 4*c.limits.MaxFiles || c.seen%256 == 0 && time.Now().After(c.ends)
}

func (c *census) entry(dir *os.Root, at, base string, name bool, depth int) {
	info, err := dir.Lstat(base)
	switch {
	case err != nil:
		return
	case strings.HasPrefix(base, tempPrefix):
		sweep(dir, info)
		return
	}
	size := amount{files: 1}
	if info.Mode().IsRegular() {
		size.bytes = info.Size()
	}
	p := path.Join(at, base)
	c.total = c.total.plus(size)
	if name {
		c.remember(p, info, size)
	}
	if !info.IsDir() || depth == maxDepth {
		return
	}
	sub, err := dir.OpenRoot(base + "/.")
	if err != nil {
		return
	}
	defer sub.Close()
	if now, err := sub.Stat("."); err != nil || !os.SameFile(info, now) {
		return // a link has replaced it
	}
	c.below(sub, p, name, depth+1)
}

// remember adds a file or directory to the candidates for the largest.
func (c *census) remember(p string, info fs.FileInfo, size amount) {
	top, _, below := strings.Cut(p, "/")
	if info.IsDir() || below {
		sum := c.tops[top]
		if sum == nil {
			sum = &amount{}
			c.tops[top] = sum
		}
		*sum = sum.plus(size)
	}
	if !info.Mode().IsRegular() || len(c.files) == maxLargest && size.bytes <= c.files[maxLargest-1].bytes {
		return
	}
	c.files = append(c.files, item{p, false, size})
	slices.SortStableFunc(c.files, func(a, b item) int { return cmp.Compare(b.bytes, a.bytes) })
	c.files = c.files[:min(len(c.files), maxLargest)]
}

// largest returns the largest files and directories.
func (c *census) largest() []item {
	var dirs []item
	for top, sum := range c.tops {
		dirs = append(dirs, item{top, true, *sum})
	}
	weight := func(i item) float64 { // the share of the limit
		return max(float64(i.bytes)/float64(max(c.limits.MaxBytes, 1<<20)), float64(i.files)/float64(max(c.limits.MaxFiles, 100)))
	}
	slices.SortFunc(dirs, func(a, b item) int {
		return cmp.Or(cmp.Compare(weight(b), weight(a)), cmp.Compare(a.path, b.path))
	})
	return append(dirs[:min(len(dirs), maxLargest)], c.files...)
}

// absent counts the missing directories of p.
func absent(root *os.Root, p string) (n int64) {
	for ; p != "."; p = path.Dir(p) {
		if _, err := root.Lstat(p); !errors.Is(err, fs.ErrNotExist) {
			return n
		}
		n++
	}
	return n
}
