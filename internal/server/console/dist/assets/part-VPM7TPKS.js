import{k as o}from"/assets/part-C3SYPOBA.js";var a=o(!1);export{a};
