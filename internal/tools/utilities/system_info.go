package utilities

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"syscall"
	"time"

	"github.com/helve-dev/helve/internal/lib/cputime"
	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/tool"
)

type systemInfoArgs struct {
	Include []string `json:"include,omitempty" enum:"platform,memory,cpu,env,all" doc:"What to tell: platform, memory, cpu, env or all; platform when left out."`
}

type systemInfoResult struct {
	Platform  *platformInfo `json:"platform,omitempty"`
	Timestamp string        `json:"timestamp" doc:"RFC 3339."`
	Memory    *memoryInfo   `json:"memory,omitempty" doc:"Of the worker's process."`
	CPU       *cpuInfo      `json:"cpu,omitempty" doc:"Time the worker's process has used."`
	Env       *envInfo      `json:"env,omitempty" doc:"What tools assume unless a call says otherwise."`
}

type platformInfo struct {
	OS          string `json:"os"`
	Arch        string `json:"arch"`
	NodeVersion string `json:"nodeVersion" doc:"Version of the language runtime, which is Go's."`
	PID         int    `json:"pid"`
}

type memoryInfo struct {
	HeapUsed  string `json:"heapUsed"`
	HeapTotal string `json:"heapTotal"`
	RSS       string `json:"rss" doc:"What the runtime holds of the machine's memory."`
}

type cpuInfo struct {
	User   string `json:"user"`
	System string `json:"system"`
}

type envInfo struct {
	NodeEnv string `json:"nodeEnv"`
	TZ      string `json:"tz"`
	Lang    string `json:"lang"`
}

var _ = tool.Add(Set, tool.Spec[systemInfoArgs, systemInfoResult]{
	Name:    "system_info",
	Aliases: []string{"get_system_info"},
	Description: "Describe the system that tools run on, when that matters for an answer or a fault: " +
		"returns operating system and architecture and, on request, memory, processor time and defaults.",
	Tags:       []string{"system", "info", "platform", "os", "memory", "cpu", "architecture", "runtime"},
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Errors:     []tool.Kind{},
	Example:    `{"include": ["platform", "memory"]}`,
	Timeout:    5 * time.Second,
	Run:        systemInfo,
})

func systemInfo(_ context.Context, call *tool.Call, args systemInfoArgs) (systemInfoResult, error) {
	wants := func(part string) bool {
		return slices.Contains(args.Include, part) || slices.Contains(args.Include, "all")
	}
	res := systemInfoResult{Timestamp: call.Clock.Now().UTC().Format(dates.Timestamp)}
	if len(args.Include) == 0 || wants("platform") {
		res.Platform = &platformInfo{OS: runtime.GOOS, Arch: architecture(runtime.GOARCH), NodeVersion: runtime.Version(), PID: syscall.Getpid()}
	}
	if wants("memory") {
		res.Memory = readMemory()
	}
	if wants("cpu") {
		user, system := cputime.Used()
		res.CPU = &cpuInfo{User: inMilliseconds(user), System: inMilliseconds(system)}
	}
	if wants("env") {
		// The worker's own environment may hold secrets and means nothing to the
		// caller; none of it is read.
		res.Env = &envInfo{NodeEnv: "production", TZ: "UTC", Lang: "en"}
	}
	return res, nil
}

// architecture returns the processor's name as most programs outside Go use it.
func architecture(goarch string) string {
	switch goarch {
	case "amd64":
		return "x64"
	case "386":
		return "ia32"
	default:
		return goarch
	}
}

func readMemory() *memoryInfo {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	at := func(i int) uint64 {
		if samples[i].Value.Kind() != metrics.KindUint64 {
			return 0 // a later Go may have dropped it
		}
		return samples[i].Value.Uint64()
	}
	return &memoryInfo{
		HeapUsed:  inMegabytes(at(0)),
		HeapTotal: inMegabytes(at(0) + at(1) + at(2)),
		RSS:       inMegabytes(at(3) - at(4)),
	}
}

func inMegabytes(bytes uint64) string { return fmt.Sprintf("%.2f MB", float64(bytes)/(1<<20)) }

func inMilliseconds(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }
