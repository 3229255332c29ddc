package clitools

// reach is a program's need for the network.
type reach int

const (
	offline reach = iota // it never uses the network
	useful               // parts of it use the network
	needed               // it is useless without the network
)

// program describes a command-line program.
type program struct {
	name     string
	file     string // on the PATH; defaults to name
	category string
	risk     int
	does     string
	reach    reach
	npm      string   // the package that contains it
	version  []string // arguments; --version if nil, not run if empty

	// Settings of an operator.
	policy  policy
	args    []string
	network bool
	custom  bool
	broken  string // the field that cannot be read
}

var dashV, longV, oneDash, word = []string{"-v"}, []string{"-V"}, []string{"-version"}, []string{"version"}

// catalogue returns the known programs, by name within their category.
var catalogue = []program{
	{name: "aws", category: "cloud", risk: 85, reach: needed, does: "Amazon Web Services."},
	{name: "docker", category: "cloud", risk: 95, does: "Containers; whoever reaches its daemon is root of the machine."},
	{name: "gcloud", category: "cloud", risk: 85, reach: needed, does: "Google Cloud."},
	{name: "helm", category: "cloud", risk: 85, reach: needed, version: word, does: "Packages for Kubernetes."},
	{name: "kubectl", category: "cloud", risk: 90, reach: needed, version: []string{"version", "--client"}, does: "Kubernetes clusters."},
	{name: "terraform", category: "cloud", risk: 85, reach: needed, does: "Infrastructure as code."},

	{name: "biome", category: "code", risk: 30, npm: "@biomejs/biome", does: "Formats and lints JavaScript, TypeScript, JSON and CSS."},
	{name: "black", category: "code", risk: 30, does: "Formats Python."},
	{name: "cspell", category: "code", risk: 45, npm: "cspell", does: "Checks the spelling in code."},
	{name: "eslint", category: "code", risk: 50, npm: "eslint", does: "Lints JavaScript; its configuration is code that it runs."},
	{name: "markdownlint", category: "code", risk: 40, npm: "markdownlint-cli", does: "Lints Markdown."},
	{name: "ncu", category: "code", risk: 45, reach: useful, npm: "npm-check-updates", does: "Finds newer versions of npm dependencies."},
	{name: "prettier", category: "code", risk: 45, npm: "prettier", does: "Formats code; its plugins are code that it runs."},
	{name: "ruff", category: "code", risk: 25, does: "Lints and formats Python."},
	{name: "shellcheck", category: "code", risk: 10, does: "Finds mistakes in shell scripts."},
	{name: "shfmt", category: "code", risk: 25, does: "Formats shell scripts."},
	{name: "stylelint", category: "code", risk: 50, npm: "stylelint", does: "Lints CSS; its configuration is code that it runs."},
	{name: "svgo", category: "code", risk: 45, npm: "svgo", does: "Makes SVG files smaller."},
	{name: "tsc", category: "code", risk: 25, npm: "typescript", does: "Compiles and checks TypeScript."},

	{name: "awk", category: "text", risk: 45, version: []string{}, does: "Works on text by patterns; its programs can run others."},
	{name: "diff", category: "text", risk: 5, does: "Shows the differences of files."},
	{name: "fd", category: "text", risk: 20, does: "Finds files by name."},
	{name: "file", category: "text", risk: 5, does: "Says what kind of file one is."},
	{name: "find", category: "text", risk: 20, does: "Finds files by name, age, size and more."},
	{name: "grep", category: "text", risk: 5, version: longV, does: "Finds lines of files by a pattern."},
	{name: "jq", category: "text", risk: 5, does: "Selects and changes JSON."},
	{name: "rg", category: "text", risk: 10, does: "Finds lines in trees of files by a pattern, fast."},
	{name: "sed", category: "text", risk: 45, does: "Edits streams of text; its programs can run others."},
	{name: "sort", category: "text", risk: 10, does: "Sorts lines."},
	{name: "tree", category: "text", risk: 5, does: "Shows directories as a tree."},
	{name: "wc", category: "text", risk: 5, does: "Counts lines, words and bytes."},
	{name: "yq", category: "text", risk: 15, does: "Selects and changes YAML, JSON and XML."},

	{name: "exiftool", category: "documents", risk: 30, version: []string{"-ver"}, does: "Reads and writes what images say of themselves."},
	{name: "ffmpeg", category: "documents", risk: 30, reach: useful, version: oneDash, does: "Converts audio and video."},
	{name: "ffprobe", category: "documents", risk: 10, reach: useful, version: oneDash, does: "Describes audio and video."},
	{name: "magick", category: "documents", risk: 35, version: oneDash, does: "Converts images (ImageMagick)."},
	{name: "pandoc", category: "documents", risk: 35, reach: useful, does: "Converts documents between formats."},
	{name: "pdftotext", category: "documents", risk: 5, version: dashV, does: "Extracts the text of PDF files."},
	{name: "qpdf", category: "documents", risk: 20, does: "Splits, joins and repairs PDF files."},
	{name: "sqlite3", category: "documents", risk: 45, does: "Queries SQLite databases; its commands can run others."},
	{name: "tar", category: "documents", risk: 30, does: "Packs and unpacks archives."},
	{name: "unzip", category: "documents", risk: 30, version: dashV, does: "Unpacks ZIP archives."},
	{name: "zip", category: "documents", risk: 30, version: dashV, does: "Packs ZIP archives."},

	{name: "bun", category: "languages", risk: 70, reach: useful, does: "Runs JavaScript and TypeScript."},
	{name: "cargo", category: "languages", risk: 65, reach: useful, does: "Builds and tests Rust."},
	{name: "cmake", category: "languages", risk: 65, does: "Configures builds of C and C++."},
	{name: "deno", category: "languages", risk: 70, reach: useful, does: "Runs JavaScript and TypeScript."},
	{name: "go", category: "languages", risk: 65, reach: useful, version: word, does: "Builds, tests and runs Go."},
	{name: "make", category: "languages", risk: 65, does: "Runs the recipes of a Makefile."},
	{name: "node", category: "languages", risk: 70, reach: useful, does: "Runs JavaScript."},
	{name: "npm", category: "languages", risk: 70, reach: useful, does: "Packages of JavaScript, and the scripts of a package.json."},
	{name: "npx", category: "languages", risk: 75, reach: useful, does: "Runs programs of npm packages."},
	{name: "pip3", category: "languages", risk: 70, reach: needed, does: "Packages of Python."},
	{name: "pnpm", category: "languages", risk: 70, reach: useful, does: "Packages of JavaScript."},
	{name: "python3", category: "languages", risk: 70, reach: useful, does: "Runs Python."},

	{name: "curl", category: "network", risk: 55, reach: needed, does: "Transfers data by URL."},
	{name: "gh", category: "network", risk: 60, reach: needed, does: "GitHub from the command line."},
	{name: "rsync", category: "network", risk: 50, reach: useful, does: "Copies trees of files."},
	{name: "ssh", category: "network", risk: 95, reach: needed, version: longV, does: "Logs in to other machines."},
	{name: "wget", category: "network", risk: 55, reach: needed, does: "Fetches files by URL."},

	{
		name:     "git",
		category: "version control",
		risk:     30,
		reach:    useful,
		does:     "Versions of files; the git_* tools are safer for what they do.",
	},
}

// executable returns the name of the file to run.
func (p *program) executable() string {
	if p.file != "" {
		return p.file
	}
	return p.name
}

// versionArgs returns the arguments that print the version, or none if the program must
// not be run for it.
func (p *program) versionArgs() []string {
	if p.version == nil && !p.custom {
		return []string{"--version"}
	}
	return p.version
}
