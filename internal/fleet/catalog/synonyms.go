package catalog

import (
	"strings"
	"sync"
)

// synonyms returns, by stem, words with nearly the same meaning in a request.
var synonyms = sync.OnceValue(func() map[string][]string { return stemmed(related()) })

// related returns the same, by word.
func related() map[string]string {
	return map[string]string{
		"remind": "reminder task", "reminder": "task calendar event", "todo": "task", "chore": "task", "errand": "task", "buy": "task shopping", "pick": "task random choice",
		"groceries": "task shopping", "shopping": "task", "done": "complete task", "finish": "complete task", "finished": "complete task", "tick": "complete task", "due": "task", "overdue": "task",
		"deadline": "task due", "call": "task contact phone", "ring": "task phone",
		"appointment": "calendar event", "meeting": "calendar event", "meet": "calendar event", "dentist": "calendar event", "doctor": "calendar event", "lunch": "calendar event", "dinner": "calendar event",
		"birthday": "contacts calendar", "schedule": "calendar event scheduler", "agenda": "calendar list", "book": "calendar event", "reschedule": "update calendar event", "week": "calendar",
		"make": "create add", "put": "add", "free": "calendar list", "busy": "calendar list", "installed": "list", "operating": "system",
		"jot": "note add", "write": "note file create", "memo": "note", "diary": "note", "journal": "note",
		"link": "bookmark url", "article": "bookmark read", "page": "web fetch", "website": "web fetch page", "site": "web page", "webpage": "web page fetch", "url": "url",
		"phone": "contact number", "address": "contact", "person": "contact", "people": "contacts", "colleague": "contact", "friend": "contact", "number": "contact phone",
		"mail": "email", "emails": "email", "inbox": "email list", "message": "email send", "unread": "email list", "reply": "email reply", "respond": "email reply", "answer": "reply", "forward": "email send", "send": "email send",
		"spend": "expense", "spent": "expense add", "cost": "expense", "paid": "expense add", "pay": "expense", "money": "expense finance", "budget": "expense summary", "receipt": "expense parse receipt", "bill": "expense", "invoice": "expense receipt",
		"purchase": "expense", "spending": "expense summary query",
		"rain": "weather forecast", "raining": "weather", "umbrella": "weather forecast", "sunny": "weather", "snow": "weather forecast", "warm": "weather temperature", "cold": "weather temperature", "hot": "weather", "temperature": "weather convert unit", "wind": "weather", "forecast": "weather forecast",
		"forget": "memory delete forget", "memorize": "remember memory", "recall": "memory recall search", "know": "memory recall", "prefer": "remember memory preference", "prefers": "remember memory preference", "favorite": "remember memory bookmark", "allergic": "remember memory",
		"goal": "goal", "aim": "goal", "objective": "goal", "target": "goal", "resolution": "goal", "learn": "goal", "progress": "goal stats update", "step": "goal step", "break": "decompose goal", "milestone": "goal step", "next": "next actions goal",
		"folder": "directory file", "directory": "folder file", "document": "file pdf", "documents": "file", "rename": "move file", "duplicate": "copy file deduplicate", "remove": "delete", "erase": "delete", "trash": "delete", "clear": "delete", "cancel": "delete", "drop": "delete",
		"open": "read open", "view": "read", "show": "list", "see": "list", "contents": "read file", "save": "write file", "store": "write save", "edit": "update write", "change": "update", "modify": "update", "append": "write file", "locate": "search find", "look": "search", "lookup": "search",
		"big": "info size", "size": "info file", "large": "info file size", "newest": "list file",
		"photo": "image", "picture": "image", "pic": "image", "photograph": "image", "drawing": "generate image", "draw": "generate image", "paint": "generate image", "logo": "generate image", "illustration": "generate image", "shrink": "resize image", "smaller": "resize image", "thumbnail": "resize image", "scale": "resize image",
		"crop": "edit image resize", "describe": "analyze image", "caption": "analyze image", "background": "edit image",
		"song": "audio", "sound": "audio", "recording": "audio speech transcribe", "voice": "audio speech", "podcast": "audio transcribe", "transcribe": "speech to text audio", "transcript": "speech to text audio", "dictate": "speech to text", "aloud": "text to speech", "speak": "text to speech", "say": "text to speech translate", "narrate": "text to speech", "read": "read",
		"cut": "split", "chapters": "split audio", "trim": "split audio", "long": "info count duration", "minutes": "duration",
		"language": "translate detect language", "french": "translate", "german": "translate", "spanish": "translate", "italian": "translate", "japanese": "translate", "chinese": "translate", "english": "translate", "russian": "translate", "turkish": "translate", "translation": "translate",
		"summarize": "summarize", "summary": "summarize summary", "tldr": "summarize", "gist": "summarize", "shorten": "summarize truncate", "entities": "extract entities", "names": "extract entities", "table": "table", "spreadsheet": "csv table", "excel": "csv", "rows": "csv table", "column": "csv table",
		"similar": "similarity semantic compare", "meaning": "semantic search", "alike": "compare similarity", "same": "compare", "differ": "compare diff", "difference": "diff compare", "differences": "diff compare", "versus": "compare",
		"embed": "embedding vector", "vectors": "vector", "collection": "vector collection",
		"commit": "git commit", "repo": "git", "repository": "git", "branch": "git branch", "staged": "git add diff", "stage": "git add", "checkout": "git checkout", "history": "git log history", "changed": "git diff status", "changes": "git diff status", "merge": "git",
		"run": "execute run", "script": "execute code", "python": "execute python", "javascript": "execute javascript", "node": "execute javascript", "bash": "execute shell", "terminal": "shell command", "command": "shell cli", "compile": "compile code", "rust": "compile code", "golang": "compile code", "npm": "package manager install", "pip": "package manager install", "install": "install package", "dependency": "package manager",
		"fix": "coding task", "bug": "coding task", "refactor": "coding task", "implement": "coding task", "codebase": "coding task", "claude": "coding agent", "codex": "coding agent", "gemini": "coding agent", "feature": "coding task",
		"cron": "schedule task", "daily": "schedule task", "weekly": "schedule task", "recurring": "schedule task", "automatically": "schedule task", "automate": "schedule create", "nightly": "schedule task",
		"google": "search web", "internet": "search web", "online": "search web", "news": "search web", "research": "search web", "latest": "search web", "wikipedia": "search web", "download": "download file", "api": "api http request json", "endpoint": "api http request", "webhook": "http request", "post": "http request",
		"today": "current date time", "now": "current time date", "clock": "current time", "oclock": "current time", "day": "date", "date": "date", "time": "time", "days": "date diff", "until": "date diff", "between": "diff", "ago": "date add", "since": "date diff", "later": "date add", "age": "date diff", "old": "date diff", "weeks": "date add diff", "months": "date add",
		"christmas": "date diff", "timezone": "time", "tokyo": "time weather", "london": "time weather", "york": "time weather", "paris": "time weather",
		"calculator": "calculate", "compute": "calculate", "sum": "calculate statistics", "plus": "calculate", "minus": "calculate", "times": "calculate", "divided": "calculate", "multiply": "calculate", "math": "calculate", "percent": "percentage calculate", "percentage": "calculate percentage", "square": "calculate", "root": "calculate", "tip": "calculate percentage", "discount": "calculate percentage",
		"average": "statistics", "mean": "statistics", "median": "statistics", "deviation": "statistics", "standard": "statistics", "variance": "statistics",
		"convert": "convert", "inches": "convert units", "miles": "convert units", "kilometers": "convert units", "km": "convert units", "celsius": "convert units", "fahrenheit": "convert units", "pounds": "convert units", "kilograms": "convert units", "kg": "convert units", "gallons": "convert units", "litres": "convert units", "dollars": "currency convert", "euros": "currency convert", "usd": "currency convert", "eur": "currency convert", "exchange": "currency convert",
		"dice": "random number", "coin": "random choice number", "flip": "random choice", "random": "random", "roll": "random number", "lottery": "random number", "choose": "random choice", "winner": "random choice", "identifier": "uuid", "unique": "uuid deduplicate", "guid": "uuid", "password": "password", "passphrase": "password", "secure": "password", "token": "random string", "placeholder": "lorem ipsum",
		"checksum": "hash", "sha256": "hash", "md5": "hash", "digest": "hash", "fingerprint": "hash", "base64": "base64 encode", "encode": "encode", "decode": "decode", "urlencode": "url encode", "escape": "encode url",
		"count": "count", "characters": "count text", "letters": "count text", "sentences": "count text", "uppercase": "case transform", "lowercase": "case transform", "capitalize": "case transform", "camelcase": "change case", "snake": "change case", "slug": "slug", "reverse": "transform text", "replace": "search replace", "substitute": "search replace", "wrap": "wrap text", "truncate": "truncate text", "title": "case transform",
		"pattern": "regex", "regular": "regex", "expression": "regex calculate", "match": "regex", "phones": "extract phone", "links": "extract urls", "hashtags": "extract text", "prettify": "format json", "pretty": "format json", "beautify": "format json", "indent": "format json", "minify": "format json", "parse": "parse", "valid": "validate", "correct": "validate", "check": "validate status", "verify": "validate", "legit": "validate",
		"sort": "sort array", "order": "sort", "alphabetically": "sort", "alphabetical": "sort", "duplicates": "deduplicate", "dedupe": "deduplicate", "list": "list", "markdown": "markdown", "html": "html markdown",
		"cpu": "system info", "memory": "memory system", "ram": "system info", "os": "system info", "machine": "system info", "computer": "system info",
		"clipboard": "clipboard", "copied": "clipboard", "paste": "clipboard read", "notify": "notification notify", "notification": "notify", "alert": "notify", "popup": "notify", "launch": "open app", "app": "app open", "application": "app open", "browser": "browser open url", "tab": "browser open url", "chrome": "browser app",
		"capabilities": "tools", "tool": "tool", "function": "tool create", "abilities": "tools", "custom": "custom",
		"movies": "custom table", "recipes": "custom table", "track": "custom table goal expense", "database": "custom table", "record": "custom record", "field": "custom column table", "inventory": "custom table",
		"ask": "ask", "mum": "contact call task", "mom": "contact call task", "dad": "contact call task",
	}
}

func stemmed(table map[string]string) map[string][]string {
	byStem := make(map[string][]string, len(table))
	for word, also := range table {
		s := stem(word)
		byStem[s] = append(byStem[s], strings.Fields(also)...)
	}
	return byStem
}
