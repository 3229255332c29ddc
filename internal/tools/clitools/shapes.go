package clitools

import "regexp"

var (
	// local matches names that no program takes for an address, a list of arguments or a
	// host.
	local    = regexp.MustCompile(`^[^:@|<>]+$`)
	anywhere = -1
	source   = regexp.MustCompile(`^[^@:]*\.[cm]?[jt]sx?$`)
	// format matches the names of formats, which are no files; pdf would start TeX.
	format = regexp.MustCompile(`^(asciidoc|commonmark|commonmark_x|creole|csv|docbook|docx|epub|gfm|html|html4|html5|ipynb|jats|jira|json|latex|man|markdown|markdown_strict|mediawiki|native|odt|opml|org|plain|rst|rtf|textile|tsv)$`)
)

// shapes holds the forms of arguments in which programs run without consent. Programs that
// have none, such as converters, always need it.
//
// What an option does in each version of a program is known for those listed here:
// none of them starts a program (sort --compress-program, rg --pre, diff -l, fd -l, file
// -z), writes (sort -o, tree -o) or reads further options from a file (tar -T, qpdf @file).
var shapes = map[string][]shape{
	"grep": {{
		style: clustered, most: anywhere, number: true,
		options: "-E -F -G -P -i -y -v -w -x -c -l -L -n -b -H -h -o -q -s -r -R -I -a -z -Z -T -U -e= -m= -A= -B= -C= -f= " +
			"--extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --file= --ignore-case --no-ignore-case --invert-match " +
			"--word-regexp --line-regexp --count --color[=] --colour[=] " +
			"--files-with-matches --files-without-match --max-count= --only-matching --quiet --silent --no-messages --byte-offset --with-filename " +
			"--no-filename --label= --line-number " +
			"--initial-tab --null --after-context= --before-context= --context= --text --binary-files= --directories= --devices= --exclude= " +
			"--exclude-from= --exclude-dir= --include= --recursive --dereference-recursive --null-data",
	}},
	"rg": {{
		style: clustered, most: anywhere, always: []string{"--no-config"},
		options: "-n -N -i -S -s -l -c -v -w -x -F -P -U -H -I -o -q -a -p -L -u -. -0 -e= -g= -t= -T= -A= -B= -C= -m= -M= -d= -r= -j= " +
			"--regexp= --glob= --iglob= --type= --type-not= --after-context= --before-context= --context= --max-count= --max-columns= " +
			"--max-depth= --replace= --threads= --sort= --sortr= --color= --colors= " +
			"--line-number --no-line-number --ignore-case --smart-case --case-sensitive --files-with-matches --files-without-match --count " +
			"--count-matches --invert-match --word-regexp --line-regexp " +
			"--fixed-strings --pcre2 --multiline --multiline-dotall --with-filename --no-filename --only-matching --quiet --text --pretty " +
			"--follow --unrestricted --hidden --no-ignore --no-ignore-vcs " +
			"--files --type-list --json --stats --vimgrep --heading --no-heading --column --trim --passthru --null --no-messages --max-filesize= " +
			"--crlf --encoding= --byte-offset",
	}},
	"fd": {{
		style: clustered, most: anywhere,
		options: "-H -I -u -s -i -g -F -L -p -0 -1 -q -t= -e= -d= -E= -c= -S= --hidden --no-ignore --no-ignore-vcs --unrestricted " +
			"--case-sensitive --ignore-case --glob --regex --fixed-strings --follow --full-path " +
			"--print0 --max-results= --type= --extension= --max-depth= --min-depth= --exact-depth= --exclude= --color= --size= --changed-within= " +
			"--changed-before= --newer= --older= --quiet --prune",
	}},
	"find": {{
		style: exact, most: anywhere,
		options: "-H -L -P ! ( ) , -not -a -and -o -or -name= -iname= -path= -ipath= -wholename= -regex= -iregex= -regextype= -lname= -ilname= " +
			"-type= -xtype= -size= -empty -newer= -anewer= -cnewer= -newermt= " +
			"-mtime= -atime= -ctime= -mmin= -amin= -cmin= -daystart -perm= -user= -group= -uid= -gid= -nouser -nogroup -links= -inum= -samefile= " +
			"-readable -writable -executable -true -false " +
			"-maxdepth= -mindepth= -depth -d -xdev -mount -noleaf -follow -prune -quit -print -print0 -printf= -ls -ignore_readdir_race " +
			"-noignore_readdir_race -nowarn -warn",
	}},
	"wc": {{
		style: clustered, most: anywhere,
		options: "-c -m -l -w -L --bytes --chars --lines --words --max-line-length --total=",
	}},
	"sort": {{
		style: clustered, most: anywhere,
		options: "-b -d -f -g -i -M -h -n -R -r -V -c -C -m -s -u -z -k= -t= --ignore-leading-blanks --dictionary-order --ignore-case " +
			"--general-numeric-sort --ignore-nonprinting --month-sort " +
			"--human-numeric-sort --numeric-sort --random-sort --reverse --sort= --version-sort --check[=] --merge --stable --unique " +
			"--zero-terminated --key= --field-separator= --debug",
	}},
	"diff": {{
		style: clustered, least: 1, most: anywhere, number: true,
		options: "-q -s -c -u -e -n -y -t -T -r -N -i -E -Z -b -w -B -a -p -d -C= -U= -W= -F= -x= -I= -L= --brief --report-identical-files " +
			"--context[=] --unified[=] --ed --rcs --side-by-side --width= " +
			"--left-column --suppress-common-lines --show-c-function --show-function-line= --label= --expand-tabs --initial-tab --recursive " +
			"--no-dereference --new-file --unidirectional-new-file " +
			"--ignore-file-name-case --exclude= --starting-file= --ignore-case --ignore-tab-expansion --ignore-trailing-space " +
			"--ignore-space-change --ignore-all-space --ignore-blank-lines " +
			"--ignore-matching-lines= --text --strip-trailing-cr --minimal --speed-large-files --color[=]",
	}},
	"file": {{
		style: clustered, least: 1, most: anywhere,
		options: "-b -i -k -L -h -N -n -0 -r -p -v --brief --mime --mime-type --mime-encoding --extension --keep-going --dereference " +
			"--no-dereference --no-pad --print0 --raw --preserve-date",
	}},
	"tree": {{
		style: apart, most: anywhere,
		options: "-a -d -l -f -x -i -q -N -p -u -g -s -h -D -F -v -t -c -r -U -A -S -n -C -J -X -Q -L= -P= -I= --noreport --dirsfirst " +
			"--filesfirst --prune " +
			"--du --si --inodes --device --matchdirs --ignore-case --gitignore --metafirst --nolinks --sort= --timefmt= --charset= --filelimit=",
	}},
	"jq": {{
		style: clustered, least: 1, most: anywhere,
		options: "-n -r -j -a -s -c -C -M -S -e -R --null-input --raw-output --join-output --raw-output0 --ascii-output --slurp " +
			"--compact-output --color-output --monochrome-output --sort-keys --exit-status " +
			"--raw-input --tab --indent= --unbuffered --stream --stream-errors --seq --arg== --argjson== --slurpfile== --rawfile== --args " +
			"--jsonargs",
	}},
	"yq": {{
		style: clustered, least: 1, most: anywhere,
		options: "-r -n -e -P -N -C -M -o= -p= --prettyPrint --null-input --exit-status --no-colors --colors --no-doc --output-format= " +
			"--input-format= --indent= --unwrapScalar[=]",
	}},
	"ffprobe": {{
		style: exact, least: 1, most: 1, operand: local, always: []string{"-protocol_whitelist", "file"},
		options: "-hide_banner -v= -loglevel= -of= -print_format= -output_format= -show_format -show_streams -show_chapters -show_programs " +
			"-show_error -show_entries= -select_streams= -count_frames -count_packets " +
			"-pretty -unit -prefix -sexagesimal -byte_binary_prefix",
	}},
	"pdftotext": {{
		style: exact, least: 1, most: 1, last: "-",
		options: "-f= -l= -r= -x= -y= -W= -H= -layout -raw -fixed= -nodiag -htmlmeta -tsv -bbox -bbox-layout -enc= -eol= -nopgbrk -q -upw=",
	}},
	"qpdf": {{
		style: exact, least: 1, most: 1, operand: local,
		needs: "--check --show-npages --is-encrypted --requires-password --show-encryption --show-xref --show-pages --list-attachments " +
			"--check-linearization --json",
		options: "--check --show-npages --is-encrypted --requires-password --show-encryption --show-xref --show-pages --with-images " +
			"--list-attachments --check-linearization --json --no-warn",
	}},
	"pandoc": {{
		style: clustered, least: 1, most: anywhere, operand: local, value: format, always: []string{"--sandbox"},
		options: "-f= -r= -t= -w= --from= --read= --to= --write= -s --standalone --toc --table-of-contents -N --number-sections",
	}},
	"tar": {
		{
			style: clustered, least: 0, most: anywhere, operand: local, value: local, needs: "-t --list",
			env: []string{"TAR_OPTIONS=--force-local"},
			options: "-t -v -z -j -J -f= --list --verbose --gzip --gunzip --bzip2 --xz --zstd --file= --wildcards --no-wildcards --full-time " +
				"--numeric-owner --utc",
		},
		{
			style: clustered, least: 0, most: anywhere, operand: local, value: local, needs: "-O --to-stdout",
			env: []string{"TAR_OPTIONS=--force-local"},
			options: "-x -O -v -z -j -J -f= --extract --get --to-stdout --verbose --gzip --gunzip --bzip2 --xz --zstd --file= --wildcards " +
				"--no-wildcards",
		},
	},
	"unzip": {{
		style: apart, least: 1, most: anywhere, needs: "-l -v -t -p -c",
		options: "-l -v -t -p -c -q -C",
	}},
	"zip": {{style: exact, least: 1, most: 1, needs: "-sf", options: "-sf"}},
	"shellcheck": {{
		style:   clustered,
		least:   1,
		most:    anywhere,
		always:  []string{"--norc"},
		options: "-C[=] -e= -i= -f= -S= -s= -o= -W= --color[=] --exclude= --include= --format= --severity= --shell= --enable= --wiki-link-count=",
	}},
	"shfmt": {{style: exact, most: anywhere, options: "-l -d -s -mn -fn -bn -ci -sr -kp -f -i= -ln= -p"}},
	"ruff": {
		{
			words: "check", style: clustered, most: anywhere, always: []string{"--isolated", "--no-cache"},
			options: "-q -s -v --quiet --silent --verbose --statistics --no-fix --preview --select= --ignore= --extend-select= --extend-ignore= " +
				"--output-format= --line-length= --target-version=",
		},
		{
			words: "format", style: clustered, most: anywhere, always: []string{"--isolated", "--no-cache"}, needs: "--check --diff",
			options: "--check --diff -q -v --quiet --verbose --preview --line-length= --target-version=",
		},
	},
	"tsc": {{
		style: exact, most: anywhere, operand: source, value: local, needs: "--noEmit",
		options: "--noEmit --strict --skipLibCheck --allowJs --checkJs --esModuleInterop --target= --module= --moduleResolution= --lib= --jsx= " +
			"-p= --project=",
	}},
	"git": gitShapes,
}
