# The answer is one line of JSON; this shows the result in it.
curl -sS "${HELVE_SERVER:-http://127.0.0.1:8080}/v1/execute" -d '{"calls":[
    {"tool":"calculate","arguments":{"expression":"15% of 80"}}]}' | sed 's/.*"result":\({[^}]*}\).*/\1/'
