package codeexec

import (
	"strings"
	"testing"
)

func TestWrecks(t *testing.T) {
	for _, text := range []string{
		"rm -rf /", "rm -rf /*", "rm  -r  -f  //", "rm -fr / --no-preserve-root", "RM -Rf /", "/bin/rm -rf '/'", `sudo rm -rf "/"`,
		"sudo -n rm --recursive /.",
		"echo x && rm -rf / ; echo y", "echo x\nrm -rf /", "(rm -rf /)", "echo $(rm -rf /)", "echo `rm -rf /`", "if true; then rm -rf /; fi",
		"A=1 rm -rf /",
		"sh -c 'rm -rf /'", `bash -lc "sudo rm -rf /"`, `eval rm -rf /`, `sh -c "sh -c 'rm -rf /'"`, "timeout 5s rm -rf /", "ls | xargs rm -rf /",
		`r\m -rf /`, "r''m -rf /",
		"shutdown -h now", "sudo reboot", "halt", "poweroff", "init 0", "telinit 6", "systemctl poweroff", "/sbin/shutdown",
		"mkfs.ext4 /dev/sda1", "mkfs -t ext4 /dev/sdb", "dd if=/dev/zero of=/dev/sda bs=1M", "cat x > /dev/sda", "cat x >/dev/nvme0n1",
		"wipefs -a /dev/vda",
		"format c:", "FORMAT C: /q", "del /s /q c:\\*", "rd /S /Q C:\\", "chmod -R 777 /", "chown -R nobody /",
		":(){ :|:& };:", ":() { : | : & } ; :", "bomb() { bomb | bomb & }; bomb", "function b(){ b|b& }; b",
	} {
		if wrecks(text, 0) == "" {
			t.Errorf("%q is let through", text)
		}
	}
	for _, text := range []string{
		"", "   ", "ls /", "rm -rf ./build", "rm -rf /tmp/x", "rm /etc/motd", "echo 'rm -rf /'", `echo "rm -rf /"`, "grep shutdown log",
		"echo shutdown", "# rm -rf /\nls", "cat x > /dev/null", "dd if=/dev/zero of=out bs=1 count=1", "printf format", "date +format c:",
		"chmod -R 755 dir", "init 3", "f() { echo hi; }; f", "f() { g | h & }", "rm", "sudo", ">", "sh -c", "sh script.sh", "systemctl status",
		"echo a > b", "rmdir /s", `sh -c "sh -c \"sh -c 'sh -c \\\"ls\\\"'\""`, "'", `"`, `\`, "((((", "dd of=",
	} {
		if what := wrecks(text, 0); what != "" {
			t.Errorf("%q is blocked because it would %s", text, what)
		}
	}
}

func FuzzWrecks(f *testing.F) {
	f.Add("sudo rm -rf / && :(){ :|:& };:")
	f.Add(`eval "sh -c 'x > /dev/sda'"`)
	f.Fuzz(func(t *testing.T, text string) {
		wrecks(text, 0)
		if wrecks("echo x; rm -rf /; "+text, 0) == "" {
			t.Errorf("what follows hides a command: %q", text)
		}
		parts, err := words("command", text)
		if total := len(strings.Join(parts, "")); err == nil && total > len(text) {
			t.Errorf("%q became longer: %q", text, parts)
		}
	})
}
