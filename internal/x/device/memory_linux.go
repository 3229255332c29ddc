package device

import (
	"bufio"
	"bytes"
	"os"
	"path"
	"strconv"
	"strings"
)

// Memory returns how much memory this process may use, in bytes: that of the machine, or
// the limit of a control group around it; 0 if it is not known.
func Memory() int64 {
	total := meminfo("/proc/meminfo")
	group, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return total
	}
	return least(total, limits("/sys/fs/cgroup", string(group))...)
}

// meminfo returns the size of the machine's memory.
func meminfo(file string) int64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if words := strings.Fields(lines.Text()); len(words) == 3 && words[0] == "MemTotal:" {
			kib, _ := strconv.ParseInt(words[1], 10, 64) // 0 is not known
			return kib << 10
		}
	}
	return 0
}

// limits reads the limits of a process's control group of version 2 and those around it.
func limits(root, group string) (all []int64) {
	for line := range strings.Lines(group) {
		at, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		for ; ok && at != "."; at = path.Dir(at) {
			if text, err := os.ReadFile(path.Join(root, at, "memory.max")); err == nil {
				if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil { // else "max"
					all = append(all, n)
				}
			}
			if at == "/" {
				break
			}
		}
	}
	return all
}

// least returns the least of what is known.
func least(total int64, limits ...int64) int64 {
	for _, n := range limits {
		if total == 0 || n < total {
			total = n
		}
	}
	return total
}
