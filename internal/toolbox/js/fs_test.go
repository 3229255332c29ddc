package js

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestFS(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, want string }{
		"text": {
			`fs.writeFile("a/b.txt", "hé"); fs.appendFile("a/b.txt", "!"); return [fs.readFile("a/b.txt"), fs.readFile("a/b.txt", "utf8"), fs.readFile("a/b.txt", "base64")]`,
			`["hé!","hé!","aMOpIQ=="]`,
		},
		"awaited": {`await fs.writeFile("a", "x"); return await fs.readFile("a")`, `"x"`},
		"bytes": {
			`fs.writeFile("a", new Uint8Array([65, 66, 67]).subarray(1)); fs.appendFile("a", new Uint8Array([33]).buffer); return fs.readFile("a")`,
			`"BC!"`,
		},
		"exists": {
			`fs.writeFile("a", ""); return [fs.exists("a"), fs.exists("b"), fs.exists("."), fs.readFile("a")]`, `[true,false,true,""]`,
		},
		"list": {
			`fs.writeFile("d/x", ""); fs.writeFile("a", ""); return [fs.list(), fs.list("."), fs.list("d")]`, `[["a","d/"],["a","d/"],["x"]]`,
		},
		"remove": {`fs.writeFile("a", ""); return [fs.remove("a") === undefined, fs.exists("a")]`, `[true,false]`},
		"not there": {
			`try { fs.readFile("none") } catch (e) { return [e instanceof Error, e.name, e.error_type, e.message] }`,
			`[true,"Error","file_not_found","File not found: none"]`,
		},
		"outside": {
			`return ["../x", "/etc/passwd", "a/../../x"].map((p) => { try { fs.readFile(p) } catch (e) { return e.error_type } })`,
			`["path_not_allowed","path_not_allowed","path_not_allowed"]`,
		},
		"not UTF-8": {
			`fs.writeFile("a", new Uint8Array([255])); try { fs.readFile("a") } catch (e) { return [e.error_type, e.message.includes("base64"), fs.readFile("a", "base64")] }`,
			`["validation_error",true,"/w=="]`,
		},
		"path missing":     {`return ["readFile", "writeFile", "appendFile", "exists", "remove"].map((f) => { try { fs[f](undefined, "x") } catch (e) { return e.name } }).every((n) => n === "TypeError")`, `true`},
		"path of an array": {`try { fs.readFile(["a"]) } catch (e) { return e.name }`, `"TypeError"`},
		"path too long":    {`try { fs.exists("a".repeat(1e3).repeat(6e3)) } catch (e) { return e.name }`, `"TypeError"`},
		"data missing": {
			`return [undefined, null, {}, 5].map((v) => { try { fs.writeFile("a", v) } catch (e) { return e.name } }).concat(fs.exists("a"))`,
			`["TypeError","TypeError","TypeError","TypeError",false]`,
		},
		"data too large": {
			`return ["x".repeat(1e3).repeat(6e3), new Uint8Array(6e6), "é".repeat(1e3).repeat(3e3)].map((v) => { try { fs.writeFile("a", v) } catch (e) { return e.error_type } }).concat(fs.exists("a"))`,
			`["file_too_large","file_too_large","file_too_large",false]`,
		},
		"encoding": {`try { fs.readFile("a", "utf-7") } catch (e) { return e.name }`, `"TypeError"`},
		"nothing else": {
			`return [Object.keys(fs).join(), typeof fs.chmod, fs.readFile === fs.readFile, fs.readFile.name]`,
			`["readFile,writeFile,appendFile,exists,list,remove","undefined",true,"readFile"]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := function(t, tt.body)
			task.Files = true
			task.Host, _ = disk(t)
			returns(t, task, tt.want)
		})
	}
}

func TestFSUncaughtKeepsItsKind(t *testing.T) {
	t.Parallel()
	task := function(t, `fs.readFile("none")`)
	task.Files = true
	task.Host, _ = disk(t)
	fails(t, task, tool.FileNotFound, "none")
}

func TestFSDoesNotFollowLinks(t *testing.T) {
	t.Parallel()
	task := function(t, `return ["out", "dir/x"].map((p) => { try { return fs.readFile(p) } catch (e) { return e.error_type } })`)
	p, dir := disk(t)
	outside := t.TempDir()
	for path, to := range map[string]string{"out": "/etc/hostname", "dir": outside} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(dir, path)); err != nil {
			t.Fatal(err)
		}
	}
	task.Files, task.Host = true, p
	returns(t, task, `["path_not_allowed","path_not_allowed"]`)
}
