package bench

import (
	"bufio"
	"cmp"
	"os"
	"runtime"
	"strings"
)

// Machine describes the machine of the figures.
type Machine struct {
	// Cores is the number of processors that this process may use.
	Cores  int    `json:"cores"`
	CPU    string `json:"cpu"`
	Kernel string `json:"kernel"`
	Go     string `json:"go"`
}

// ThisMachine describes this machine; unknown values are its GOOS or GOARCH.
func ThisMachine() Machine {
	return Machine{
		Cores:  runtime.GOMAXPROCS(0),
		CPU:    cmp.Or(cpuModel(), runtime.GOARCH),
		Kernel: strings.TrimSpace(runtime.GOOS + " " + firstLine("/proc/sys/kernel/osrelease")),
		Go:     runtime.Version(),
	}
}

func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// loadAverage returns the load average of the last minute, or "unknown".
func loadAverage() string {
	load, _, _ := strings.Cut(firstLine("/proc/loadavg"), " ")
	return cmp.Or(load, "unknown")
}

func firstLine(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}
