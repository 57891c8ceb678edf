// The names the server knows, most used first; a test compares.

export const GPUS = [
  ["h100-80g", "H100 SXM 80 GB"],
  ["h200-141g", "H200 141 GB"],
  ["b200-180g", "B200 180 GB"],
  ["b300-288g", "B300 288 GB"],
  ["gb200-192g", "GB200 192 GB"],
  ["gb300-288g", "GB300 288 GB"],
  ["a100-80g", "A100 SXM 80 GB"],
  ["a100-40g", "A100 40 GB"],
  ["a100-pcie-80g", "A100 PCIe 80 GB"],
  ["h100-pcie-80g", "H100 PCIe 80 GB"],
  ["h100-nvl-94g", "H100 NVL 94 GB"],
  ["gh200-96g", "GH200 96 GB"],
  ["gh200-144g", "GH200 144 GB"],
  ["h800-80g", "H800 80 GB"],
  ["h20-96g", "H20 96 GB"],
  ["h20-141g", "H20 141 GB"],
  ["a800-80g", "A800 80 GB"],
];
