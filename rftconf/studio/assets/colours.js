// A text in colours: comments, keys, values, variables. Only for reading; the reader on the server decides what means what.

const YAML = /(#.*$)|^(\s*(?:- )*)([\w.+/<>*-]+)(:)(?=\s|$)|("(?:[^"\\]|\\.)*"|'[^']*')|(\$\{[^}\n]*\}|\$\w+)|(?<![\w.-])(-?\d[\d_.]*(?:[eE][-+]?\d+)?|true|false|null|True|False|None|\?\?\?)(?![\w.-])/gm;
const SHELL = /((?:^|(?<=\s))#.*$)|((?<=^|\s|["'])[+~]{0,2}[A-Za-z_][\w.]*\.[\w.@/-]*)(?==)|^(\s*(?:export )?)(\w+)(?==)|("|')|(\$\{[^}\n]*\}|\$\(\(.*\)\)|\$\w+)|(?<==)(-?\d[\d_.]*(?:[eE][-+]?\d+)?|[Tt]rue|[Ff]alse|null)(?![\w.-])/gm;
const MOST = 200_000;

function span(kind, text) {
  const node = document.createElement("span");
  node.className = kind;
  node.textContent = text;
  return node;
}

export const isShell = (name, text) =>
  /\.(sh|bash|slurm|sbatch|txt)$/.test(name) || (!/\.(ya?ml|json)$/.test(name) && /^#!|\\$|^\s*python3? /m.test(text.slice(0, 20_000)));

export function coloured(text, shell) {
  const out = document.createDocumentFragment();
  if (text.length > MOST) {
    out.append(text);
    return out;
  }
  let at = 0;
  const put = (kind, from, to) => {
    if (from > at) out.append(text.slice(at, from));
    out.append(span(kind, text.slice(from, to)));
    at = to;
  };
  for (const found of text.matchAll(shell ? SHELL : YAML)) {
    const start = found.index;
    const end = start + found[0].length;
    if (found[1]) put("t-comment", start, end);
    else if (shell && found[2]) put("t-key", start, end);
    else if (shell && found[4]) put("t-name", start + found[3].length, end);
    else if (!shell && found[3]) put("t-key", start + found[2].length, end - 1);
    else if (!shell && found[5]) put("t-text", start, end);
    else if (found[6]) put("t-var", start, end);
    else if (found[7]) put("t-value", start, end);
  }
  if (at < text.length) out.append(text.slice(at));
  return out;
}

// The same, line by line.
export function lines(text, shell, most) {
  const rows = text.replace(/\n$/, "").split("\n");
  return rows.slice(0, most).map((row) => coloured(row, shell));
}
