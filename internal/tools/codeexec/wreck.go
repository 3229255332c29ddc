package codeexec

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// device matches a disk or the machine's memory.
var device = regexp.MustCompile(`^/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|mapper/|mem$|kmem$)`)

// drive matches a Windows path.
var drive = regexp.MustCompile(`^(?i:[a-z]:)`)

// deepest limits the nesting of commands.
const deepest = 4

// wrecks returns the reason why a shell command would damage a machine, or "" if none
// is known. It resolves quotes, paths, sudo and similar words, and sh -c, but not
// variables and substitutions.
func wrecks(text string, depth int) string {
	if forkBomb(text) {
		return "start processes without end"
	}
	s := splitter{text: text, operators: true}
	s.split()
	for _, command := range s.commands {
		if what := wreckedBy(command, depth); what != "" {
			return what
		}
	}
	return ""
}

// before lists words that precede the command they run.
var before = []string{
	"sudo", "doas", "exec", "nohup", "command", "builtin", "env", "nice", "setsid", "time", "xargs", "timeout", "busybox",
	"{", "}", "!", "if", "then", "elif", "else", "while", "until", "do",
}

// stripped returns a command without the words that precede it.
func stripped(command []string) []string {
	wrapped := false
	for len(command) > 0 {
		word := command[0]
		name, _, assigns := strings.Cut(word, "=")
		switch {
		case slices.Contains(before, path.Base(word)):
			wrapped = true
		case assigns && !strings.ContainsAny(name, "/ "):
		case wrapped && (strings.HasPrefix(word, "-") || strings.Trim(word, "0123456789.smh") == ""): // an option, or a duration
		default:
			return command
		}
		command = command[1:]
	}
	return nil
}

func wreckedBy(command []string, depth int) string {
	for i, word := range command[:len(command)-1] {
		if word == ">" && device.MatchString(command[i+1]) {
			return "write over a device"
		}
	}
	command = stripped(command)
	if len(command) == 0 {
		return ""
	}
	name, args := strings.ToLower(path.Base(command[0])), command[1:]
	switch name {
	case "rm":
		if slices.Contains(args, "--no-preserve-root") || flagged(args, "rR", "--recursive") && slices.ContainsFunc(args, isRoot) {
			return "delete everything"
		}
	case "chmod", "chown", "chgrp":
		if flagged(args, "R", "--recursive") && slices.ContainsFunc(args, isRoot) {
			return "change the rights of everything"
		}
	case "shutdown", "reboot", "halt", "poweroff":
		return "stop the machine"
	case "init", "telinit":
		if len(args) > 0 && (args[0] == "0" || args[0] == "6") {
			return "stop the machine"
		}
	case "systemctl":
		if slices.ContainsFunc(args, func(a string) bool { return a == "poweroff" || a == "reboot" || a == "halt" }) {
			return "stop the machine"
		}
	case "dd":
		if slices.ContainsFunc(args, func(a string) bool { return device.MatchString(strings.TrimPrefix(a, "of=")) && a[0] == 'o' }) {
			return "write over a device"
		}
	case "mke2fs", "wipefs":
		return "format a disk"
	case "format":
		if slices.ContainsFunc(args, drive.MatchString) {
			return "format a disk"
		}
	case "del", "erase", "rd", "rmdir":
		if slices.ContainsFunc(args, func(a string) bool { return strings.EqualFold(a, "/s") }) && slices.ContainsFunc(args, drive.MatchString) {
			return "delete everything"
		}
	case "sh", "bash", "dash", "zsh", "ksh", "ash", "eval":
		return wrecksWithin(name, args, depth)
	}
	if strings.HasPrefix(name, "mkfs") {
		return "format a disk"
	}
	return ""
}

// wrecksWithin checks the command that is passed to a nested shell.
func wrecksWithin(name string, args []string, depth int) string {
	if depth >= deepest {
		return ""
	}
	if name == "eval" {
		return wrecks(strings.Join(args, " "), depth+1)
	}
	i := slices.IndexFunc(args, func(a string) bool {
		return strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "c")
	})
	if i < 0 || i+1 == len(args) {
		return ""
	}
	return wrecks(args[i+1], depth+1)
}

// flagged reports whether args contain one of the short options, alone or in a cluster,
// or the long option.
func flagged(args []string, short, long string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return a == long || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.ContainsAny(a, short)
	})
}

// isRoot reports whether a path is the root or everything in it.
func isRoot(p string) bool {
	return strings.HasPrefix(p, "/") && path.Clean(strings.TrimRight(p, "*")) == "/"
}

// forkBomb recognises a function that only calls itself, twice.
func forkBomb(text string) bool {
	flat := strings.Join(strings.Fields(text), "")
	for rest := flat; ; {
		head, body, found := strings.Cut(rest, "(){")
		if !found {
			return false
		}
		name := head[strings.LastIndexAny(head, ";&|{}")+1:]
		name = strings.TrimPrefix(name, "function")
		if name != "" && strings.HasPrefix(body, name+"|"+name+"&") {
			return true
		}
		rest = body
	}
}
